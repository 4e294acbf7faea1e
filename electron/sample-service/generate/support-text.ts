/** Questions of a home-goods shop's customers to its support assistant. */
import type { Domain } from './text.ts';

export const SUPPORT: Domain = {
  systemPrompt:
    'You help customers of an online shop for home goods. Answer from the passages you are given, name the next step, and hand over to a person when money over 500 is at stake.',
  slots: {
    product: [
      'standing desk',
      'reading lamp',
      'linen duvet',
      'cast-iron pan',
      'bookshelf',
      'espresso machine',
      'garden chair',
      'wool rug',
      'air purifier',
      'kitchen scale',
    ],
    city: ['Utrecht', 'Leeds', 'Porto', 'Graz', 'Lyon', 'Aarhus', 'Turin', 'Galway'],
    carrier: ['the parcel service', 'our own van', 'the freight partner', 'the evening courier'],
    name: ['Noor', 'Felix', 'Ines', 'Marek', 'Saoirse', 'Tomás', 'Alva', 'Jonas'],
    colour: ['oak', 'graphite', 'sage', 'ivory', 'brick red'],
  },
  topics: [
    {
      intent: 'order_status',
      category: 'delivery',
      questions: [
        'Where is order {number}? It should have reached {city} {days} days ago.',
        'My {product} was due yesterday and nobody rang. Can you look up order {number}?',
        'Tracking for {number} has not moved in {days} days, is it lost?',
      ],
      answers: [
        'Order {number} left our warehouse and is with {carrier}. The next stop is {city}; it is planned for tomorrow before {time}. If it is not there by then, reply here and I will open a search.',
        'The parcel with your {product} missed one connection. It is back on its way and should be in {city} within two working days.',
      ],
      context: [
        'Parcels without a scan for five working days are searched for. The search takes up to eight days; after that a replacement is sent.',
        'Order {number}: handed to {carrier}, last scan at the hub near {city}, one parcel, 11 kg.',
        'Customers get a message with a two-hour window on the morning of delivery.',
      ],
    },
    {
      intent: 'refund_request',
      category: 'refund',
      questions: [
        'I sent the {product} back {days} days ago. When do I get my {amount} euros?',
        'Refund for order {number} says completed but my bank shows nothing.',
        'Can I have the money for the {colour} {product} instead of a voucher?',
      ],
      answers: [
        'Your return was booked in and {amount} euros went out to the card you paid with. Banks take three to five working days to show it.',
        'Yes. A voucher can be turned back into a refund as long as none of it is used. I have started it; {amount} euros go to your original payment method.',
      ],
      context: [
        'Refunds go to the original means of payment within two working days after the return is checked.',
        'A voucher issued for a return may be exchanged for a refund while its balance is untouched.',
        'Refunds above 500 euros are released by a person.',
      ],
    },
    {
      intent: 'return_policy',
      category: 'returns',
      questions: [
        'How long can I keep the {product} before deciding? I unpacked it already.',
        'Is it possible to return the {product} if the {colour} looks different from the photo?',
        'Do I pay for sending back order {number}?',
      ],
      answers: [
        'You have 30 days from delivery, unpacked or not, as long as it can be sold again. The return label for {city} is free.',
        'A different shade is a fine reason. Print the label from your account, or show the code at the counter, and keep the receipt until the refund is there.',
      ],
      context: [
        'Returns are free within 30 days of delivery. Goods must be clean and complete; the original box is welcome but not required.',
        'Large items over 25 kg are collected from the doorstep after an appointment.',
        'Mattresses and bed linen may be returned when the seal is unbroken.',
      ],
    },
    {
      intent: 'damaged_item',
      category: 'quality',
      questions: [
        'The {product} arrived with a crack along the side. What now?',
        'Two screws are missing from my {colour} {product}, order {number}.',
        'The {product} stopped working after {days} days, can it be repaired?',
      ],
      answers: [
        'I am sorry about that, {name}. Please add two photos to this chat. A replacement {product} can leave tomorrow; you do not need to send the damaged one first.',
        'I have ordered the missing parts to {city}. They come as a letter within {days} days and there is nothing to pay.',
      ],
      context: [
        'Damage in transit is replaced without return when two photos show the item and the box.',
        'Small parts are sent free of charge for five years after purchase.',
        'Electrical goods have a guarantee of two years; the maker repairs or replaces.',
      ],
    },
    {
      intent: 'change_address',
      category: 'account',
      questions: [
        'I am moving to {city}. Can order {number} still go there?',
        'Please change the delivery name to {name}, I will be away.',
      ],
      answers: [
        'Order {number} is not packed yet, so I changed the address to {city}. You will get a new confirmation in a few minutes.',
        'The parcel is already with {carrier}. You can send it on with the link in the delivery message; I cannot change it from here.',
      ],
      context: [
        'Addresses may be changed until an order is packed. After that only the recipient can redirect it.',
        'A change of country cancels the order, because tax and stock differ.',
      ],
    },
    {
      intent: 'product_advice',
      category: 'advice',
      questions: [
        'Will the {colour} {product} match the one I bought last year?',
        'Is the {product} suitable for a small flat of 30 square metres?',
        'Which of your {product}s is the quietest?',
      ],
      answers: [
        'The {colour} tone has been the same since spring last year, so it will match. A free sample can be in {city} within {days} days.',
        'It works well in small rooms: it needs 60 by 80 centimetres and folds flat. The larger one would be too deep.',
      ],
      context: [
        'Colour samples are free, three for each household.',
        'Dimensions, weight and loudness are measured in our own workshop and shown on the page of the product.',
      ],
    },
  ],
};
